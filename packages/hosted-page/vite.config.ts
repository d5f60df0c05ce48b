import { defineConfig } from 'vite'
import { scriptBudget } from './script-budget.ts'
import { pageIntegrity } from './src/integrity/page-integrity-plugin.ts'

export default defineConfig({
  base: '/hosted/',
  // Vite's default JSX transform is React's.
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [scriptBudget(60_000), pageIntegrity()],
  build: {
    // The page's content security policy allows no data: URLs and no inline scripts, so inline nothing.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})
