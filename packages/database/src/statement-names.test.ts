import { statementNames } from './statement-names.ts'

const execute = (names: ReturnType<typeof statementNames>, text: string, times: number) =>
  Array.from({ length: times }, () => names.nameOf(text)).at(-1)

test('a statement has a name from its fifth execution, and keeps it', () => {
  const names = statementNames()
  expect(execute(names, 'select $1', 4)).toBeUndefined()
  expect(names.nameOf('select $1')).toBe('cobro_0_0')
  expect(execute(names, 'select $2', 5)).toBe('cobro_0_1')
  expect(names.nameOf('select $1')).toBe('cobro_0_0')
})

test('at most 250 statements have names, so that callers with unusual filters cannot fill the memory of PostgreSQL', () => {
  const names = statementNames()
  const named = Array.from({ length: 300 }, (_, index) => execute(names, `select $1 -- ${index}`, 5))
  expect(named.filter(name => name !== undefined)).toHaveLength(250)
  expect(new Set(named).size).toBe(251)
  expect(names.nameOf('select $1 -- 0')).toBe('cobro_0_0')
})

test('frequent statements get names although a thousand others are executed once', () => {
  const names = statementNames()
  for (let index = 0; index < 1_000; index++) names.nameOf(`select $1 -- ${index}`)
  expect(execute(names, 'select $1', 5)).toBe('cobro_0_0')
})

test('an outdated plan replaces all names once, however many executions report it', () => {
  const names = statementNames()
  execute(names, 'select $1', 5)
  names.replace('cobro_0_0')
  expect(execute(names, 'select $1', 4)).toBeUndefined()
  names.replace('cobro_0_0')
  expect(names.nameOf('select $1')).toBe('cobro_1_0')
})
