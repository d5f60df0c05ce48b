import type { Locale } from '@cobro/look/locales'
import { en } from './messages-en.ts'
import { es, type Messages } from './messages-es.ts'

export const messages: Record<Locale, Messages> = { es, en }
