import { allTestFiles, filesOfKind, filterFiles } from './test-files.ts'

const files = ['services/checkout/src/a.test.ts', 'services/checkout/test/a.itest.ts', 'packages/http/src/b.test.ts']

test('allTestFiles lists this file once, relative to the root of the repository', () => {
  const own = 'packages/local-stack/src/test-runner/test-files.test.ts'
  expect(allTestFiles().filter(file => file === own)).toEqual([own])
  expect(allTestFiles().filter(file => file.includes('node_modules'))).toEqual([])
})

test('filesOfKind selects files by the end of their name', () => {
  expect(filesOfKind(files, 'unit')).toEqual([files[0], files[2]])
  expect(filesOfKind(files, 'integration')).toEqual([files[1]])
})

describe('filterFiles', () => {
  test('filterFiles returns all files without a filter', () => {
    expect(filterFiles(files, [])).toEqual(files)
  })

  test('filterFiles selects by a part of the path or by the name of a package', () => {
    expect(filterFiles(files, ['a.itest'])).toEqual([files[1]])
    expect(filterFiles(files, ['@cobro/http', 'a.itest'])).toEqual([files[1], files[2]])
  })

  test('filterFiles rejects a filter that matches no file, even if another one does', () => {
    expect(() => filterFiles(files, ['checkout', '@cobro/chekout'])).toThrow('No test file matches @cobro/chekout.')
  })
})
