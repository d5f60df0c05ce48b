import { z } from 'zod'
import { named } from '../fields/pagination.ts'

/** The body of a POST that takes no input: `{}` or nothing. */
export const emptyBody = named('EmptyBody', z.strictObject({}).describe('An empty object.')).optional()
