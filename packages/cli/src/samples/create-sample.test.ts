import { mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSample, sampleNames } from './create-sample.ts'

const samplesFolder = join(import.meta.dirname, '..', '..', 'samples')
const newFolder = () => join(mkdtempSync(join(tmpdir(), 'cobro-sample-')), 'receiver')
const create = (folder: string, name = 'receiver') =>
  createSample({ samplesFolder, name }, { folder, baseUrl: 'https://pay.example/' })

test('a sample depends on the SDK of the deployment, and keeps its secret out of a repository', () => {
  const folder = newFolder()
  expect(sampleNames(samplesFolder)).toEqual(['receiver'])
  expect(create(folder).toSorted()).toEqual(['.env', '.gitignore', 'README.md', 'package.json', 'server.mjs'])
  expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).toMatchObject({
    scripts: { start: 'node --env-file=.env server.mjs' },
    dependencies: { '@cobro/sdk': 'https://pay.example/docs/downloads/cobro-sdk.tgz' },
  })
  expect(readFileSync(join(folder, '.gitignore'), 'utf8').split('\n')).toEqual(expect.arrayContaining(['.env']))
  expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600)
})

test('a sample is written into an empty folder, and overwrites nothing', () => {
  const folder = newFolder()
  mkdirSync(folder)
  create(folder)
  expect(() => create(folder)).toThrow(`The folder ${folder} is not empty.`)
  const file = `${newFolder()}.txt`
  writeFileSync(file, '')
  expect(() => create(file)).toThrow('ENOTDIR')
  expect(() => create(newFolder(), 'sender')).toThrow('There is no sample sender.')
})
