import { spawnSync } from 'node:child_process'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { guideRun } from '../src/guide-run.ts'
import { sharedStack } from '../src/shared-stack.ts'

/** It needs the ids of an endpoint and an event; the guide to webhooks calls it. */
const notRun = 'POST /api/webhook-deliveries'

/** Each call has a key of its own. */
const newKey = 'export IDEMPOTENCY_KEY=$RANDOM$RANDOM'

interface Chapter {
  heading: string
  call: string
  examples: Record<string, string>
}

let stack: AcceptanceStack
let guide: Awaited<ReturnType<typeof guideRun>>
let chapters: Chapter[]
// A merchant for each language, since no two terminals have one serial number.
beforeEach(async () => {
  stack = await sharedStack()
  guide = await guideRun(stack)
  chapters = await chaptersOfReference()
})
afterEach(async () => {
  await guide?.remove()
  await stack?.stop()
})

/** Returns the operations of the reference that a key calls without an id. */
async function chaptersOfReference(): Promise<Chapter[]> {
  const { base_url } = stack.stack
  const list = await (await fetch(`${base_url}/docs/llms.txt`)).text()
  const pages = [...list.matchAll(/\]\((\/docs\/api\/.*?\.md)\)/g)].map(([, path]) => path)
  const texts = await Promise.all(pages.map(async path => (await fetch(`${base_url}${path}`)).text()))
  return texts
    .flatMap(text => text.split(/^## /m).slice(1))
    .flatMap(chapter => {
      const [, heading = '', call = ''] = /^(.*)\n\n`(\w+ \/.*)`\n/.exec(chapter) ?? []
      const blocks = [...chapter.matchAll(/^```(\w+(?: \w+)?)\n(.*?)^```$/gms)]
      const examples = Object.fromEntries(blocks.map(([, language = '', code = '']) => [language, code]))
      const isOfKeys = examples.bash?.includes('$COBRO_API_KEY') && !call.includes('{')
      return isOfKeys && call !== notRun ? [{ heading, call, examples }] : []
    })
}

/** Runs all calls, and returns those that failed with what they printed. */
async function failures(language: string, run: (code: string) => Promise<string>): Promise<string[]> {
  const failed: string[] = []
  for (const { call, examples } of chapters) {
    const code = examples[language]
    // The SDK's client for keys calls the twin at /checkout/v1 instead.
    if (code === undefined || code.includes('admin.')) continue
    await run(code).catch(error => failed.push(`${call}: ${error.message}`))
  }
  return failed
}

test('the calls of the reference that need no id work with curl', async () => {
  expect(chapters.length).toBeGreaterThan(20)
  const failed = await failures('bash', code =>
    guide.run('bash', ['-c', `${newKey}\n${code.replace('curl ', 'curl --no-progress-meter --fail-with-body ')}`]),
  )
  expect(failed).toEqual([])
})

const testWithPython = spawnSync('python3', ['--version']).status === 0 ? test : test.skip
testWithPython('the calls of the reference that need no id work with Python', async () => {
  expect(
    await failures('python Python', code => guide.run('bash', ['-c', `${newKey}\npython3 -c "$0"`, code])),
  ).toEqual([])
})

test('the calls of the reference that need no id work with the SDK', async () => {
  const client = `
    import { createCobro } from '${import.meta.resolve('@cobro/sdk')}'
    const cobro = createCobro({ apiKey: process.env.COBRO_API_KEY, baseUrl: process.env.COBRO_BASE_URL ?? '' })`
  const options = ['--conditions=cobro-source', '--no-warnings', '--input-type=module-typescript', '--eval']
  const run = (code: string) => guide.run(process.execPath, [...options, `${client}\n${code}`])
  expect(await failures('typescript', run)).toEqual([])
})

test('the calls of the reference that need no id work with the command cobro, which prints JSON, or CSV for exports', async () => {
  const run = async (code: string) => {
    const printed = await guide.run('bash', ['-c', code])
    if (/^cobro .*\bexport\b/m.test(code)) expect(printed).toMatch(/^id,created_at,/)
    else expect(typeof JSON.parse(printed)).toBe('object')
    return printed
  }
  expect(await failures('bash cobro', run)).toEqual([])
})
