import { defineConfig } from 'vite'
import { scriptBudget } from './script-budget.ts'

export default defineConfig({
  base: '/hosted/',
  // Vite's own JSX transform would take React.
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [scriptBudget(60_000)],
  build: {
    // The page's content security policy has no data: addresses and no inline script, so nothing may be inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})
