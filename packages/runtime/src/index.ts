export * from './certificate-errors.ts'
export * from './config/config.ts'
export {
  httpsUrls,
  inProduction,
  isFalse,
  proxies,
  required,
  strongJwks,
  strongToken,
  switchedOff,
  unlessMesh,
} from './config/production-rules.ts'
export * from './config/secret.ts'
export * from './config/settings-example.ts'
export * from './config/timings.ts'
export * from './keyed-call.ts'
export * from './observability/call-context.ts'
export * from './observability/correlation.ts'
export * from './observability/logger.ts'
export * from './observability/mask-path.ts'
export * from './observability/metrics.ts'
export * from './run-service.ts'
export * from './tasks/claim-and-process.ts'
export * from './tasks/group-commit.ts'
export * from './tasks/run-concurrently.ts'
export * from './tasks/start-interval.ts'
export * from './waiting/abort-after.ts'
export * from './waiting/sleep-unless-aborted.ts'
export * from './waiting/wake-signal.ts'
export * from './waiting/with-timeout.ts'
