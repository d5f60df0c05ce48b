import { z } from 'zod'

/** An `http.request` of the audit log, as the gateway's spool publishes it. */
export const httpRequest = z.object({
  method: z.string(),
  path: z.string(),
  status_code: z.int(),
  ip: z.string().nullable(),
  user_agent: z.string().nullable(),
  duration_ms: z.int().nullable(),
  trace_id: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
})
