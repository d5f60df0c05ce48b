import { isPlain, matchOf, type Press } from './shortcuts.ts'

const known = ['r', 'c', '?', 'g p', 'g h', 'n l']

/** Presses keys one after the other, and returns the shortcuts that they complete. */
function shortcutsOf(typed: string): string[] {
  let pending = ''
  return typed.split('').flatMap(key => {
    const match = matchOf(known, pending, { key })
    ;({ pending } = match)
    return match.keys ?? []
  })
}

test.each([
  ['r', ['r']],
  ['gp', ['g p']],
  ['nl?', ['n l', '?']],
  ['gpr', ['g p', 'r']],
  // What does not go on with the keys before is dropped with them.
  ['gr', []],
  ['ggp', []],
  ['gxp', []],
  ['gxgp', ['g p']],
  ['p', []],
  ['R', []],
  [' ', []],
])('%j is %j', (typed, shortcuts) => {
  expect(shortcutsOf(typed)).toEqual(shortcuts)
})

const press: Press = { key: 'r', ctrlKey: false, metaKey: false, altKey: false, isComposing: false }

test.each([
  [{}, true],
  [{ key: '?' }, true],
  [{ ctrlKey: true }, false],
  [{ metaKey: true }, false],
  [{ altKey: true }, false],
  [{ isComposing: true }, false],
  [{ key: 'Enter' }, false],
  [{ key: 'Shift' }, false],
])('a press with %j is plain: %j', (change, plain) => {
  expect(isPlain({ ...press, ...change })).toBe(plain)
})
