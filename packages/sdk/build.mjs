// Builds the package twice, for import and require. Node takes the files of the second build for CommonJS because of its package.json.
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'

const dist = new URL('dist/', import.meta.url)
rmSync(dist, { recursive: true, force: true })
for (const config of ['tsconfig.build.json', 'tsconfig.cjs.json'])
  execFileSync('tsc', ['-p', config], { stdio: 'inherit' })
writeFileSync(new URL('cjs/package.json', dist), '{ "type": "commonjs" }\n')
