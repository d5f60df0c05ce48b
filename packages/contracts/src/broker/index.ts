export * from './bus-names.ts'
export * from './login-definitions.ts'
export * from './login-permissions.ts'
export * from './queues.ts'
