// Runs in the head of the page, so that no other theme is painted first. `theme.ts` stores it.
const theme = localStorage.getItem('cobro.theme')
if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
