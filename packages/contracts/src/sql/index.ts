export * from './balance-sql.ts'
export * from './payment-differences.ts'
