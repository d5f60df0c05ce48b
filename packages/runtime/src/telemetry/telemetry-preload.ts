import { register } from 'import-in-the-middle/register-hooks.mjs'

// Loaded by `node --import @cobro/runtime/telemetry`. The hook must stand before the first of these libraries is loaded, so all else
// is imported after it. Without it express and pino would go untraced while the rest looked fine.
register({ include: ['http', 'https', 'express', 'undici', 'amqplib', 'pg', 'pino'] })

const { startTelemetry } = await import('./start-telemetry.ts')
await startTelemetry(process.env)
