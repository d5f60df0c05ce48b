import { EventEmitter } from 'node:events'
import type { Context } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { lightContext } from '../observability/light-context.ts'

/**
 * Carries the active span with Node's async context, and does not bind the listeners of requests and responses to it. The
 * instrumentation of `http` asks for that for each call, at a tenth of what a call costs. Promises, timers and `next` of
 * Express keep the context by themselves; a listener that needs it takes it with `AsyncLocalStorage.snapshot`.
 */
export class CallContextManager extends AsyncLocalStorageContextManager {
  override active(): Context {
    return lightContext(super.active())
  }

  override bind<T>(bound: Context, target: T): T {
    return target instanceof EventEmitter ? target : super.bind(bound, target)
  }
}
