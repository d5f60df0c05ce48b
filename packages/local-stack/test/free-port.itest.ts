import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const module = new URL('../src/machine/free-port.ts', import.meta.url).href

/** Prints ports, and ends when its input does. */
const program = `
  const { freePort } = await import(${JSON.stringify(module)})
  for (let chosen = 0; chosen < 300; chosen++) console.log(await freePort())
  process.stdin.resume()
`

test('two processes never choose the same free port, nor one process twice', async () => {
  const chosen = [start(), start()]
  const ports = (await Promise.all(chosen.map(({ lines }) => lines))).flat()
  for (const { end } of chosen) await end()
  expect(ports.filter((port, at) => ports.indexOf(port) !== at)).toEqual([])
  expect(ports).toHaveLength(600)
})

function start() {
  const running = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program])
  const { stdin, stdout } = running.child
  const lines = new Promise<string[]>(resolve => {
    let printed = ''
    stdout!.on('data', chunk => {
      printed += chunk
      const ports = printed.trimEnd().split('\n')
      if (ports.length === 300) resolve(ports)
    })
  })
  const end = () => {
    stdin!.end()
    return running
  }
  return { lines, end }
}
