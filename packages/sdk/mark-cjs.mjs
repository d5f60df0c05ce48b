// Marks the second build as CommonJS, which is how Node finds out about the .js files below it.
import { writeFileSync } from 'node:fs'

writeFileSync(new URL('dist/cjs/package.json', import.meta.url), '{ "type": "commonjs" }\n')
