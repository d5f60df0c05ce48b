import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { identifyProcess } from '@cobro/local-stack/process-identity'
import { type Listener, listenerFiles, rememberListener, runningListeners, stopListeners } from './listeners.ts'

const before = process.env.XDG_STATE_HOME
const children: ChildProcess[] = []
beforeEach(() => {
  process.env.XDG_STATE_HOME = mkdtempSync(join(tmpdir(), 'cobro-state-'))
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})
afterAll(() => {
  if (before === undefined) delete process.env.XDG_STATE_HOME
  else process.env.XDG_STATE_HOME = before
})

/** A process that runs until it is stopped. */
async function started() {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  children.push(child)
  await once(child, 'spawn')
  const identity = identifyProcess(child.pid ?? 0)
  if (!identity) throw new Error('The process did not start.')
  return { child, identity, ended: once(child, 'exit') }
}

function remembered(process: Listener['process'], port = '1'): Listener {
  const key = { profile: 'shop', base_url: 'https://pay.example', forward_to: `http://localhost:${port}` }
  const listener = { ...key, process, choices: '', log: listenerFiles(key).log }
  writeFileSync(listener.log, 'a log')
  rememberListener(listener)
  return listener
}

const all = () => true

test('a listener is stopped and forgotten, with its log', async () => {
  const { identity, ended } = await started()
  const listener = remembered(identity)
  expect(runningListeners()).toEqual([listener])
  expect(await stopListeners(all)).toEqual([listener])
  expect(await ended).toEqual([null, 'SIGTERM'])
  expect([existsSync(listenerFiles(listener).file), existsSync(listener.log)]).toEqual([false, false])
})

test('a process that got the id of an ended listener is not stopped', async () => {
  const { child, identity } = await started()
  const listener = remembered({ ...identity, startedAt: `${identity.startedAt}0` })
  expect(runningListeners()).toEqual([])
  expect(await stopListeners(all)).toEqual([])
  expect(identifyProcess(child.pid ?? 0)).toEqual(identity)
  expect(existsSync(listenerFiles(listener).file)).toBe(false)
})

test('a file that is no listener stops no process', async () => {
  const { child, identity } = await started()
  const { file } = listenerFiles(remembered(identity))
  const texts = ['', '{"process":', '{}', 'null', `{"process":{"pid":${child.pid}}}`, '{"process":{"pid":-1}}']
  for (const text of texts) {
    writeFileSync(file, text)
    expect(await stopListeners(all)).toEqual([])
  }
  expect(identifyProcess(child.pid ?? 0)).toEqual(identity)
})

test('only the chosen listeners are stopped', async () => {
  const [one, other] = [await started(), await started()]
  const [stopped, kept] = [remembered(one.identity, '1'), remembered(other.identity, '2')]
  expect(await stopListeners(({ forward_to }) => forward_to === stopped.forward_to)).toEqual([stopped])
  expect(runningListeners()).toEqual([kept])
})

test('an entry that was replaced meanwhile is not forgotten', async () => {
  const { identity } = await started()
  const listener = remembered(identity)
  const next = { ...listener, process: { ...identity, startedAt: '1' } }
  await stopListeners(() => {
    rememberListener(next)
    return true
  })
  expect(JSON.parse(readFileSync(listenerFiles(listener).file, 'utf8'))).toEqual(next)
})
