import { read } from './move-samples.ts'
import { initialState } from './page-state.ts'
import { pageStore } from './page-store.ts'
import { sampleTime } from './session-sample.ts'

const start = () => initialState('es', sampleTime)

test('delays an event that a render causes until the render is complete', () => {
  const calls: string[] = []
  const store = pageStore(start(), ({ session, online }) => {
    calls.push(`${session ? 'read' : 'unread'} ${online ? 'online' : 'offline'} begins`)
    if (session && online) store.move({ type: 'connection', online: false })
    calls.push('ends')
  })
  store.move(read())
  expect(calls).toEqual(['read online begins', 'ends', 'read offline begins', 'ends'])
  expect(store.state().online).toBe(false)
})

test('keeps rendering later changes after a render that threw', () => {
  let telling = 0
  const store = pageStore(start(), () => {
    telling += 1
    if (telling === 1) throw new Error('cannot be drawn')
  })
  expect(() => store.move(read())).toThrow('cannot be drawn')
  store.move({ type: 'connection', online: false })
  expect(telling).toBe(2)
})
