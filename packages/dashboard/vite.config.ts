import optimizeLocales from '@react-aria/optimize-locales-plugin'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { chunkLoader } from './chunk-loader.ts'
import { compressedFiles } from './compressed-files.ts'
import { headScript } from './head-script.ts'
import { preloadScripts } from './preload-scripts.ts'
import { scriptBudgets } from './script-budgets.ts'
import { smallModules } from './small-modules.ts'

const login = ['src/app/page.tsx']
const home = ['src/app/app.tsx', 'src/screens/home/home-screen.tsx']

export default defineConfig({
  base: '/dashboard/',
  plugins: [
    react(),
    { ...optimizeLocales.vite({ locales: ['es-MX', 'en-US'] }), enforce: 'pre' },
    headScript('src/look/stored-theme.ts'),
    chunkLoader('src/app/load-chunk.ts'),
    smallModules([...login, ...home]),
    preloadScripts({ first: login, later: home }),
    scriptBudgets({
      starts: {
        'the login': { files: ['index.html', ...login], most: 90_000 },
        home: { files: ['index.html', ...login, ...home], most: 180_000 },
      },
      screen: 40_000,
      styles: 20_000,
    }),
    compressedFiles(),
  ],
  resolve: { conditions: ['cobro-source', 'module', 'browser', 'production'] },
  build: {
    outDir: 'dist/app',
    // The policy of the page allows neither data: URLs for scripts nor inline ones.
    assetsInlineLimit: 0,
    // One small file: those of screens would be asked for only once their scripts are there.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
  },
})
