import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { compressedFiles } from './compressed-files.ts'
import { scriptBudgets } from './script-budgets.ts'

const hostedPage = dirname(fileURLToPath(import.meta.resolve('@cobro/hosted-page/package.json')))

/** The preview of a payment link: the payer's page, which the dashboard shows in a frame. */
export default defineConfig({
  root: hostedPage,
  base: '/dashboard/',
  // Vite's default JSX transform is React's.
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [
    scriptBudgets({ starts: { 'the preview': { files: ['preview.html'], most: 40_000 } }, screen: 0, styles: 20_000 }),
    compressedFiles(),
  ],
  build: {
    outDir: fileURLToPath(new URL('dist/app', import.meta.url)),
    // Beside the dashboard, which is built before.
    emptyOutDir: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: `${hostedPage}/preview.html` },
  },
})
