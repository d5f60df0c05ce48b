import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { programEnv } from '@cobro/testing'
import { acceptRestoreCommand } from '../src/accept-restore-command.ts'
import { noteHash, signedNote } from '../src/tree/checkpoint-note.ts'
import { newSigningKey } from './audit-log-world.ts'
import { fullMessages, type LogWorld, logWorld } from './log-world.ts'

const service = join(import.meta.dirname, '..')
let world: LogWorld

beforeAll(async () => {
  world = await logWorld()
  for (let batch = 0; batch < 3; batch++) await world.append(fullMessages(4))
})
afterAll(() => world.close())

/** Runs the command with public keys only, as an auditor does. */
async function verify(args: string[] = [], key = world.log.key) {
  const { kty, crv, x } = key.publicKey.export({ format: 'jwk' })
  const env = {
    ...programEnv(),
    DATABASE_URL: world.database.url('audit'),
    AUDIT_PUBLIC_KEYS: JSON.stringify({ keys: [{ kty, crv, x }] }),
  }
  const command = ['--conditions=cobro-source', 'src/main.ts', 'verify', ...args]
  const { code, stdout } = await promisify(execFile)(process.execPath, command, { cwd: service, env }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: { code: number; stdout: string }) => error,
  )
  const [line = ''] = stdout.split('\n')
  return { code, ...(JSON.parse(line) as Record<string, unknown>) }
}

test('the verify command reports that without --checkpoint deleted newest events are not detected', async () => {
  const found = { code: 0, ok: true, size: 12, checked: 12, first_fault: null }
  expect(await verify()).toMatchObject({ ...found, tail: expect.stringMatching(/^not covered/) })
  const covered = expect.stringMatching(/^covered up to 12 of 12 events/)
  expect(await verify(['--checkpoint', world.file])).toMatchObject({ ...found, tail: covered })
})

test('the verify command fails if the checkpoint file does not exist', async () => {
  expect(await verify(['--checkpoint', join(world.folder, 'none')])).toMatchObject({ code: 1, level: 'fatal' })
})

test('the verify command fails if the file has no checkpoint of the log', async () => {
  const file = join(world.folder, 'emptied.ndjson')
  const strange = signedNote({ size: 12, root: noteHash('x'), previous: noteHash('y') }, newSigningKey())
  for (const [text, tail] of [
    ['', /holds no checkpoint of this log$/],
    [
      `${JSON.stringify({ note: strange })}\n`,
      /holds no checkpoint of this log; ignored 1 notes without a valid signature/,
    ],
  ] as const) {
    await writeFile(file, text)
    expect(await verify(['--checkpoint', file])).toMatchObject({
      code: 1,
      ok: false,
      first_fault: { kind: 'checkpoint_missing', found: 'none' },
      tail: expect.stringMatching(tail),
    })
  }
})

test('the verify command fails on a violation and prints it', async () => {
  expect(await verify([], newSigningKey())).toMatchObject({
    code: 1,
    ok: false,
    first_fault: { kind: 'checkpoint_unsigned', seq: 1 },
  })
  await world.sql(
    'alter table audit.events disable trigger immutable',
    `update audit.events set amount_cents = 1 where seq = 7`,
    'alter table audit.events enable always trigger immutable',
  )
  expect(await verify()).toMatchObject({ code: 1, ok: false, first_fault: { kind: 'column_changed', seq: 7 } })
})

test('accept-restore asks for a reason and for the checkpoint files of the replicas', async () => {
  const env = {
    DATABASE_URL: world.database.adminUrl,
    AUDIT_SIGNING_KEY: JSON.stringify(generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })),
  }
  const run = (...args: string[]) => acceptRestoreCommand(() => undefined, args, env)
  await expect(run()).rejects.toThrow('--reason')
  await expect(run('--reason', ' ')).rejects.toThrow('--reason')
  await expect(run('--reason', 'The disk failed.')).rejects.toThrow('--checkpoint')
})
