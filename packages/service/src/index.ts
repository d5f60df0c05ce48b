export * from './lifecycle-commands.ts'
export * from './open-connections.ts'
export * from './print-result.ts'
export * from './serve-routes.ts'
