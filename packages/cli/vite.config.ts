import { defineConfig } from 'vite'

/** Bundles the command with everything that it needs into one file, so that installing it installs one package. */
export default defineConfig({
  build: {
    ssr: 'src/main.ts',
    target: 'node20',
    rolldownOptions: { output: { entryFileNames: 'cobro.js', codeSplitting: false } },
  },
  ssr: { noExternal: true, resolve: { conditions: ['cobro-source', 'node', 'import', 'default'] } },
})
