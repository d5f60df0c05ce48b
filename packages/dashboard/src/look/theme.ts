import type { Theme } from '@cobro/sdk/admin'

/** `stored-theme.ts` reads it before the first paint, and can import nothing. */
const storageKey = 'cobro.theme'

/** Shows the page in a theme, and stores it in this browser for the next first paint. */
export function applyTheme(theme: Theme): void {
  const { dataset } = document.documentElement
  if (theme === 'system') {
    localStorage.removeItem(storageKey)
    delete dataset.theme
  } else {
    localStorage.setItem(storageKey, theme)
    dataset.theme = theme
  }
}
