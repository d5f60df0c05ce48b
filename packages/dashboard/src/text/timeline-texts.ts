import type { Texts } from './locale.tsx'

/** What a timeline says of an event besides its name. */
export interface TimelineTexts {
  answered: (status: number) => string
  /** Why a delivery got no answer. A reason that is not here is shown as it is. */
  errors: Readonly<Record<string, string>>
}

const es: TimelineTexts = {
  answered: status => `Tu servidor respondió ${status}`,
  errors: {
    timeout: 'Sin respuesta a tiempo',
    connect_timeout: 'No se pudo conectar a tiempo',
    name_unknown: 'El nombre del servidor no existe',
    address_refused: 'La dirección no está permitida',
    connection_refused: 'El servidor no aceptó la conexión',
    connection_reset: 'El servidor cortó la conexión',
    unreachable: 'No se llegó al servidor',
    tls_failed: 'La conexión segura (TLS) falló',
    response_unreadable: 'La respuesta no se pudo leer',
    internal_error: 'Problema técnico',
    unknown: 'No se sabe si llegó',
  },
}

const en: TimelineTexts = {
  answered: status => `Your server answered ${status}`,
  errors: {
    timeout: 'No answer in time',
    connect_timeout: 'No connection in time',
    name_unknown: 'The name of the server does not exist',
    address_refused: 'The address is not allowed',
    connection_refused: 'The server refused the connection',
    connection_reset: 'The server closed the connection',
    unreachable: 'The server could not be reached',
    tls_failed: 'The secure connection (TLS) failed',
    response_unreadable: 'The answer could not be read',
    internal_error: 'Technical problem',
    unknown: 'It is not known whether it arrived',
  },
}

export const timelineTexts: Texts<TimelineTexts> = { es, en }
