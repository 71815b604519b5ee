/* page_style.c - how the page about a loop looks: light and dark, on a screen and on paper. */
#include "report/page.h"

const char *const mg_page_style[] = {
    ":root{color-scheme:light dark;--bg:#f6f7f5;--card:#fff;--ink:#1b211d;--dim:#667068;"
    "--line:#dfe3de;--good:#16743c;--goodbg:#dff3e5;--bad:#b3261e;--badbg:#fbe4e2;--open:#8a5a00;"
    "--openbg:#fdf0d3;--code:#f0f2ef;--accent:#1d5c3a}\n",
    "@media(prefers-color-scheme:dark){:root{--bg:#121513;--card:#1a1f1c;--ink:#e6ebe7;"
    "--dim:#98a39b;--line:#2e3631;--good:#7bd69b;--goodbg:#173624;--bad:#ff9a91;--badbg:#451c19;"
    "--open:#f0c063;--openbg:#3d2f10;--code:#131715;--accent:#7bd69b}}\n",
    "*{box-sizing:border-box}\n",
    "body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"
    "'Segoe UI',Roboto,Ubuntu,sans-serif}\n",
    "main{max-width:68rem;margin:0 auto;padding:2rem 1.25rem 4rem}\n",
    "header{margin-bottom:1.5rem}\n",
    ".brand{color:var(--dim);font-size:.85rem;letter-spacing:.02em;margin:0 0 .4rem}\n",
    "h1{font-size:1.75rem;line-height:1.25;margin:0 0 .8rem;text-wrap:balance;"
    "overflow-wrap:anywhere}\n",
    "h2{font-size:1.1rem;margin:2.2rem 0 .7rem}\n",
    "h3{font-size:.8rem;margin:1.2rem 0 .4rem;color:var(--dim);font-weight:600;"
    "text-transform:uppercase;letter-spacing:.05em}\n",
    ".badge{display:inline-block;padding:.1rem .6rem;border-radius:1rem;font-weight:600;"
    "font-size:.85rem;white-space:nowrap}\n",
    ".badge.big{font-size:1.05rem;padding:.3rem 1rem}\n",
    ".good{color:var(--good)}.bad{color:var(--bad)}.open{color:var(--open)}\n",
    ".badge.good,td.good,.bar.good{background:var(--goodbg)}\n",
    ".badge.bad,td.bad,.bar.bad{background:var(--badbg)}\n",
    ".badge.open,td.open,.bar.open{background:var(--openbg)}\n",
    ".next{margin:.9rem 0 0;padding:.6rem .9rem;border-left:3px solid var(--accent);"
    "background:var(--card);border-radius:0 .4rem .4rem 0;overflow-wrap:anywhere}\n",
    ".cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));gap:.75rem;"
    "margin:1.3rem 0 0;padding:0}\n",
    ".cards div{background:var(--card);border:1px solid var(--line);border-radius:.6rem;"
    "padding:.65rem .9rem}\n",
    ".cards dt{color:var(--dim);font-size:.78rem}.cards dd{margin:0;font-size:1.3rem;"
    "font-weight:600;font-variant-numeric:tabular-nums}\n",
    ".cards small{font-size:.8rem;font-weight:400;color:var(--dim)}\n",
    ".facts{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:0;"
    "font-size:.9rem}\n",
    ".facts dt{color:var(--dim)}.facts dd{margin:0;overflow-wrap:anywhere}\n",
    ".scroll{overflow-x:auto;background:var(--card);border:1px solid var(--line);"
    "border-radius:.6rem}\n",
    "table{border-collapse:collapse;font-size:.9rem;width:100%}\n",
    "th,td{padding:.4rem .75rem;text-align:left;border-bottom:1px solid var(--line);"
    "vertical-align:top}\n",
    "tr:last-child>td,tr:last-child>th{border-bottom:0}\n",
    "thead th{color:var(--dim);font-weight:500;font-size:.8rem;white-space:nowrap}\n",
    "tbody th{font-weight:400;min-width:14rem;overflow-wrap:anywhere}\n",
    ".matrix td,.matrix thead th+th{text-align:center;width:3.2rem;min-width:2.6rem}\n",
    ".matrix td{font-weight:700;border-left:1px solid var(--line)}\n",
    ".num{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\n",
    "td.path{overflow-wrap:anywhere;font-family:ui-monospace,monospace;font-size:.82rem}\n",
    ".timeline{position:relative;height:2.4rem;background:var(--card);"
    "border:1px solid var(--line);border-radius:.6rem;overflow:hidden}\n",
    ".bar{position:absolute;top:.35rem;bottom:.35rem;min-width:5px;border-radius:.3rem;"
    "border:1px solid currentColor;font-size:.78rem;font-weight:600;overflow:hidden;"
    "text-align:center;line-height:1.6rem;text-decoration:none}\n",
    ".axis{display:flex;justify-content:space-between;color:var(--dim);font-size:.78rem;"
    "margin-top:.25rem}\n",
    "details.attempt{background:var(--card);border:1px solid var(--line);border-radius:.6rem;"
    "margin:.6rem 0}\n",
    "details.attempt>summary{cursor:pointer;padding:.7rem 1rem;display:flex;flex-wrap:wrap;"
    "gap:.4rem .8rem;align-items:center;list-style:none}\n",
    "summary::-webkit-details-marker{display:none}\n",
    "details.attempt>summary::before{content:'\\25b8';color:var(--dim);width:.8rem}\n",
    "details.attempt[open]>summary::before{content:'\\25be'}\n",
    "summary b{font-size:1rem}summary .what{color:var(--dim);font-size:.9rem}\n",
    "summary .right{margin-left:auto;color:var(--dim);font-size:.85rem;"
    "font-variant-numeric:tabular-nums}\n",
    "summary .missing{flex-basis:100%;padding-left:1.6rem;color:var(--dim);font-size:.85rem;"
    "overflow-wrap:anywhere}\n",
    "thead tr>th{border-bottom:1px solid var(--line)!important}\n",
    ".inside{padding:0 1rem 1rem}\n",
    "pre{background:var(--code);border:1px solid var(--line);border-radius:.4rem;"
    "padding:.6rem .8rem;margin:.3rem 0;white-space:pre-wrap;overflow-wrap:anywhere;"
    "font:.82rem/1.45 ui-monospace,monospace;max-height:26rem;overflow:auto}\n",
    "ul.entries{list-style:none;margin:0;padding:0;font-size:.92rem}\n",
    "ul.entries>li{border-left:3px solid var(--line);padding:.15rem 0 .15rem .8rem;"
    "margin:.5rem 0}\n",
    "li.bad{border-color:var(--bad)!important;color:inherit}"
    "li.open{border-color:var(--open)!important;color:inherit}\n",
    ".note{color:var(--dim);font-size:.85rem;margin:.4rem 0}\n",
    ".plain{margin:.3rem 0;overflow-wrap:anywhere}\n",
    "footer{margin-top:3rem;color:var(--dim);font-size:.82rem}\n",
    "a{color:inherit}\n",
    "@media print{body{background:#fff}details.attempt{break-inside:avoid}pre{max-height:none}}\n",
    "@media(max-width:40rem){h1{font-size:1.35rem}th,td{padding:.35rem .5rem}"
    "tbody th{min-width:9rem}summary .right{margin-left:0}}\n",
    NULL,
};
