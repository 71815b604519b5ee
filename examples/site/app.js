// Says when the garden opens today; on Sundays it opens later.
const sunday = new Date().getDay() === 0;
document.getElementById('opens').textContent = sunday ? 'eleven' : 'nine';
document.body.style.background = 'white';
