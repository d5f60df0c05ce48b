import { EventEmitter } from 'node:events'
import { createContextKey, ROOT_CONTEXT } from '@opentelemetry/api'
import { CallContextManager } from './call-context-manager.ts'

const key = createContextKey('call')
const manager = new CallContextManager().enable()
const bound = ROOT_CONTEXT.setValue(key, 'bound')

test('binds functions to a context, and leaves emitters and their listeners as they are', () => {
  expect(manager.bind(bound, () => manager.active().getValue(key))()).toBe('bound')
  const emitter = new EventEmitter()
  const keys = Reflect.ownKeys(emitter)
  expect(manager.bind(bound, emitter)).toBe(emitter)
  expect(Reflect.ownKeys(emitter)).toEqual(keys)
})

test('promises and timers keep the context in which they were made', async () => {
  const found = manager.with(bound, async () => {
    await new Promise(resolve => setTimeout(resolve, 1))
    return manager.active().getValue(key)
  })
  expect([await found, manager.active().getValue(key)]).toEqual(['bound', undefined])
})
