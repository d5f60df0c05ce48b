import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type EventDeclaration, events, serviceNames } from '@cobro/contracts'

const declared = Object.entries(events as Record<string, EventDeclaration>)

/** Returns the events that the sources of a service name, outside of comments. */
function eventsNamedIn(service: string): Set<string> {
  const sources = join(import.meta.dirname, '..', '..', '..', 'services', service, 'src')
  const files = globSync('**/*.ts', { cwd: sources }).filter(file => !file.endsWith('.test.ts'))
  const text = files.map(file => readFileSync(join(sources, file), 'utf8')).join('\n')
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  return new Set([...code.matchAll(/'([a-z_]+\.[a-z_]+)'/g)].map(([, name = '']) => name))
}

// A service also names the events that it consumes. The causes of the audit actions show who publishes those.
test.each(serviceNames.filter(name => name !== 'audit-log'))(
  '%s publishes the events that say so, and no others',
  service => {
    const named = eventsNamedIn(service)
    const others = declared.filter(([, { consumers }]) => !(consumers as readonly string[]).includes(service))
    const publishes = ([, { publishers }]: (typeof declared)[number]) => publishers.includes(service)
    expect(others.filter(([name]) => named.has(name)).map(([name]) => name)).toEqual(
      others.filter(publishes).map(([name]) => name),
    )
  },
)

test('every event has a publisher', () => {
  expect(declared.filter(([, { publishers }]) => publishers.length === 0)).toEqual([])
})
