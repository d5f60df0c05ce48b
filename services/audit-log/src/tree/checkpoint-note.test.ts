import { generateKeyPairSync, hash } from 'node:crypto'
import { signingKey, verifyingKey } from './checkpoint-keys.ts'
import { type Checkpoint, isSigned, noteHash, readNote, signedNote } from './checkpoint-note.ts'

const newKey = () => signingKey(generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }))
const key = newKey()
const time = '2026-05-04T03:02:01.123Z'
const checkpoint: Checkpoint = { size: 12, root: hash('sha256', 'root', 'buffer'), previous: noteHash(''), time }
const note = signedNote(checkpoint, key)

test('a note says what was signed, in the form of a signed checkpoint', () => {
  expect(readNote(note)).toEqual(checkpoint)
  expect(isSigned(note, [newKey(), key])).toBe(true)
  expect(note.split('\n')).toEqual([
    'cobro-audit-log',
    '12',
    checkpoint.root.toString('base64'),
    'previous 47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
    'time 2026-05-04T03:02:01.123Z',
    '',
    expect.stringMatching(/^— cobro-audit-log [A-Za-z0-9+/]{91}=$/),
    '',
  ])
})

test('a note from before notes told their time is one all the same', () => {
  const { time: _, ...older } = checkpoint
  const text = signedNote(older, key)
  expect(readNote(text)).toEqual(older)
  expect(isSigned(text, [key])).toBe(true)
})

// RFC 8032, section 7.1, the first test: the key is the standard's, its id the hash that C2SP signed-note prescribes.
test('a key has the id and the text that readers of signed notes expect', () => {
  const x = Buffer.from('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex')
  const { id, text } = verifyingKey({ kty: 'OKP', crv: 'Ed25519', x: x.toString('base64url') })
  const encoded = Buffer.concat([Buffer.from('cobro-audit-log\n\x01'), x])
  expect(id).toEqual(hash('sha256', encoded, 'buffer').subarray(0, 4))
  expect(text).toBe(`cobro-audit-log+${id.toString('hex')}+${Buffer.concat([Buffer.of(1), x]).toString('base64')}`)
})

test('no byte of a note can be changed without its signature or its form going bad', () => {
  const bytes = Buffer.from(note)
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect([at, isSigned(changed.toString(), [key])]).toEqual([at, false])
  }
})

test.each<[string, string]>([
  ['nothing', ''],
  ['a note that was cut', note.slice(0, -1)],
  ['a note with something after it', `${note}x\n`],
  ['a size with a zero before it', note.replace('\n12\n', '\n012\n')],
  ['an empty log', note.replace('\n12\n', '\n0\n')],
  ['a size beyond what is exact', note.replace('\n12\n', '\n9007199254740993\n')],
  ['another origin', note.replace(/^cobro/, 'other')],
  ['a line too many', note.replace('\n\n', '\nmore\n\n')],
  ['no checkpoint before it', note.replace(/previous .*\n/, '')],
  ['another line than the time', note.replace('\ntime ', '\nwhen ')],
  ['a time that is none', note.replace(time, '2026-13-04T03:02:01.123Z')],
  ['a time in another form', note.replace(time, '2026-05-04T03:02:01Z')],
])('%s is no checkpoint', (_what, text) => {
  expect(readNote(text)).toBeUndefined()
  expect(isSigned(text, [key])).toBe(false)
})

test('the signature of a key that is not known counts for nothing', () => {
  expect(isSigned(signedNote(checkpoint, newKey()), [key])).toBe(false)
  expect(isSigned(note, [])).toBe(false)
})
