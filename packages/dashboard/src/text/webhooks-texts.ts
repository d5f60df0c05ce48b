import type { Webhook, WebhookDelivery } from '@cobro/sdk/admin'
import type { Texts } from './locale.tsx'

interface WebhooksTexts {
  title: string
  searchHint: string
  empty: string
  emptyHint: string
  status: string
  statuses: Record<Webhook['status'], string>
  url: string
  events: string
  eventCount: (count: number) => string
  lastDelivery: string
  never: string
  newEndpoint: string
  urlHint: string
  eventsHint: string
  allEvents: string
  create: string
  failed: string
  secret: string
  shownOnce: string
  stored: string
  sendTest: string
  deliveries: {
    title: string
    searchHint: string
    empty: string
    emptyHint: string
    status: string
    statuses: Record<WebhookDelivery['status'], string>
    /** What becomes of a delivery, in a sentence. */
    sentences: Record<WebhookDelivery['status'], string>
    event: string
    endpoint: string
    attempts: string
    answer: string
    noAnswer: string
    next: string
    payload: string
    resend: string
    number: (number: number) => string
  }
}

const es: WebhooksTexts = {
  title: 'Webhooks',
  searchHint: 'Dirección o descripción',
  empty: 'Todavía no hay webhooks.',
  emptyHint: 'Agrega la dirección de tu servidor para recibir lo que pasa con tus pagos.',
  status: 'Estado',
  statuses: { active: 'Activo', disabled: 'Desactivado' },
  url: 'Dirección',
  events: 'Eventos',
  eventCount: count => (count === 1 ? '1 evento' : `${count} eventos`),
  lastDelivery: 'Última entrega',
  never: 'Nunca',
  newEndpoint: 'Nuevo webhook',
  urlHint: 'https://tu-servidor.com/cobro',
  eventsHint: 'Recibe todos los eventos, también los que se agreguen después.',
  allEvents: 'Todos',
  create: 'Agregar webhook',
  failed: 'No se pudo hacer el cambio.',
  secret: 'Secreto',
  shownOnce: 'Con él tu servidor verifica las firmas. Guárdalo ahora: no se vuelve a mostrar.',
  stored: 'Ya lo guardé',
  sendTest: 'Enviar prueba',
  deliveries: {
    title: 'Entregas',
    searchHint: 'Evento o dirección',
    empty: 'Todavía no hay entregas.',
    emptyHint: 'Cada evento que se envía a un webhook aparece aquí.',
    status: 'Estado',
    statuses: {
      pending: 'Pendiente',
      delivering: 'Enviando',
      succeeded: 'Entregada',
      failed: 'Sin entregar',
      exhausted: 'Agotada',
      cancelled: 'Cancelada',
    },
    sentences: {
      pending: 'Se enviará en un momento.',
      delivering: 'Se está enviando.',
      succeeded: 'Tu servidor la recibió.',
      failed: 'Tu servidor no la recibió. Se intentará de nuevo.',
      exhausted: 'Tu servidor no la recibió y ya no se intentará. Puedes enviarla de nuevo.',
      cancelled: 'Se canceló y ya no se enviará.',
    },
    event: 'Evento',
    endpoint: 'Dirección',
    attempts: 'Intentos',
    answer: 'Respuesta',
    noAnswer: 'Sin respuesta',
    next: 'Siguiente intento',
    payload: 'Contenido',
    resend: 'Enviar de nuevo',
    number: number => `Intento ${number}`,
  },
}

const en: WebhooksTexts = {
  title: 'Webhooks',
  searchHint: 'Address or description',
  empty: 'There are no webhooks yet.',
  emptyHint: 'Add the address of your server to receive what happens to your payments.',
  status: 'Status',
  statuses: { active: 'Active', disabled: 'Disabled' },
  url: 'Address',
  events: 'Events',
  eventCount: count => (count === 1 ? '1 event' : `${count} events`),
  lastDelivery: 'Last delivery',
  never: 'Never',
  newEndpoint: 'New webhook',
  urlHint: 'https://your-server.com/cobro',
  eventsHint: 'It receives all events, also those that are added later.',
  allEvents: 'All',
  create: 'Add webhook',
  failed: 'The change could not be made.',
  secret: 'Secret',
  shownOnce: 'Your server verifies signatures with it. Store it now: it is not shown again.',
  stored: 'I have stored it',
  sendTest: 'Send test',
  deliveries: {
    title: 'Deliveries',
    searchHint: 'Event or address',
    empty: 'There are no deliveries yet.',
    emptyHint: 'Each event that is sent to a webhook appears here.',
    status: 'Status',
    statuses: {
      pending: 'Pending',
      delivering: 'Sending',
      succeeded: 'Delivered',
      failed: 'Not delivered',
      exhausted: 'Given up',
      cancelled: 'Cancelled',
    },
    sentences: {
      pending: 'It will be sent in a moment.',
      delivering: 'It is being sent.',
      succeeded: 'Your server received it.',
      failed: 'Your server did not receive it. It will be sent again.',
      exhausted: 'Your server did not receive it, and it will not be sent again by itself. You can send it again.',
      cancelled: 'It was cancelled and will not be sent.',
    },
    event: 'Event',
    endpoint: 'Address',
    attempts: 'Attempts',
    answer: 'Answer',
    noAnswer: 'No answer',
    next: 'Next attempt',
    payload: 'Payload',
    resend: 'Send again',
    number: number => `Attempt ${number}`,
  },
}

export const webhooksTexts: Texts<WebhooksTexts> = { es, en }
