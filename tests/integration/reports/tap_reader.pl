#!/usr/bin/perl
# Reads TAP with perl's own parser and prints what it concluded, a word a line:
# passed or failed, the number of tests, and any complaint of the parser.
use strict;
use warnings;
use TAP::Parser;

local $/;
my $tap = <STDIN>;
my $parser = TAP::Parser->new({tap => $tap});
my $yaml = 0;
while (my $result = $parser->next) {
    $yaml++ if $result->is_yaml && $result->data->{verdict};
}
my $good = !$parser->has_problems && $parser->is_good_plan && $parser->tests_run > 0;
print $good ? "passed" : "failed", "\n";
print $parser->tests_run, "\n";
print "$yaml\n";
print "problem: $_\n" for $parser->parse_errors;
