import { read } from './move-samples.ts'
import { initialState } from './page-state.ts'
import { pageStore } from './page-store.ts'
import { sampleTime } from './session-sample.ts'

const start = () => initialState('es', sampleTime)

test('a move that a change causes waits until that change has been told', () => {
  const told: string[] = []
  const store = pageStore(start(), ({ session, online }) => {
    told.push(`${session ? 'read' : 'unread'} ${online ? 'online' : 'offline'} begins`)
    if (session && online) store.move({ type: 'connection', online: false })
    told.push('ends')
  })
  store.move(read())
  expect(told).toEqual(['read online begins', 'ends', 'read offline begins', 'ends'])
  expect(store.state().online).toBe(false)
})

test('a change that cannot be told keeps none of those that follow from being told', () => {
  let telling = 0
  const store = pageStore(start(), () => {
    telling += 1
    if (telling === 1) throw new Error('cannot be drawn')
  })
  expect(() => store.move(read())).toThrow('cannot be drawn')
  store.move({ type: 'connection', online: false })
  expect(telling).toBe(2)
})
