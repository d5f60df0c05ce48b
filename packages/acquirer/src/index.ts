export * from './acquirer.ts'
export * from './acquirer-wire.ts'
export * from './http-acquirer.ts'
export * from './response-codes.ts'
