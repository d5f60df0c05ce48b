import optimizeLocales from '@react-aria/optimize-locales-plugin'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { scriptBudgets } from './script-budgets.ts'

export default defineConfig({
  base: '/dashboard/',
  plugins: [
    react(),
    { ...optimizeLocales.vite({ locales: ['es-MX', 'en-US'] }), enforce: 'pre' },
    scriptBudgets({ entry: 180_000, screen: 40_000, styles: 20_000 }),
  ],
  resolve: { conditions: ['cobro-source', 'module', 'browser', 'production'] },
  build: {
    outDir: 'dist/app',
    // The policy of the page allows neither data: URLs for scripts nor inline ones.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})
