import { readdirSync } from 'node:fs'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { includes, regionMistakes, shownOutput, snippetFolder } from '../src/guide-pages.ts'
import { guideRun } from '../src/guide-run.ts'
import { sharedStack } from '../src/shared-stack.ts'

const snippets = readdirSync(snippetFolder, { recursive: true, encoding: 'utf8' })
// The quickstart is run by its own test, as a newcomer does.
const shells = snippets.filter(file => file.endsWith('/steps.sh'))
const programs = snippets.filter(file => /^[\w-]+\/steps\.(ts|mjs)$/.test(file))

let stack: AcceptanceStack
let guide: Awaited<ReturnType<typeof guideRun>>
// Each guide has a merchant of its own.
beforeEach(async () => {
  stack = await sharedStack()
  guide = await guideRun(stack)
})
afterEach(() => guide?.remove())
afterAll(() => stack?.stop())

test.each(shells)('the lines of %s work as the guide shows them, and print what it shows', async file => {
  const printed = await guide.shell(file)
  const shown = await shownOutput(file, printed)
  expect(Object.fromEntries([...shown].map(([name]) => [name, printed.get(name)]))).toEqual(Object.fromEntries(shown))
})

test.each(programs)('the program %s works, and prints what its guide shows', async file => {
  const printed = new Map([['printed', await guide.program(file)]])
  const shown = await shownOutput(file, printed)
  expect(Object.fromEntries([...shown].map(([name]) => [name, printed.get(name)]))).toEqual(Object.fromEntries(shown))
})

test('every snippet that tests run is shown on a page, in the order in which it runs, and pages show nothing else', () => {
  const files = snippets.filter(file => /\.\w+$/.test(file))
  expect([...new Set(includes().map(({ file }) => file))].sort()).toEqual(files.sort())
  expect(files.flatMap(regionMistakes)).toEqual([])
})
