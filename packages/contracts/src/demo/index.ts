export * from './demo-history.ts'
