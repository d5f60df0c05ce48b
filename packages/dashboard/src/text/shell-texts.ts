import type { Texts } from './locale.tsx'

/** The texts around all screens, and those that several screens share. */
interface ShellTexts {
  navigation: string
  home: string
  asTable: string
  /** Of an interval that has not ended. */
  soFar: string
  payments: string
  account: string
  logOut: string
  sandbox: string
  tests: string
  skip: string
  newLink: string
  more: string
  help: string
  apiCalls: string
  merchant: string
  allMerchants: string
  /** What the titles of pages of the sandbox begin with. */
  testMark: string
  copiedId: (id: string) => string
  actingFor: (name: string) => string
  leave: string
  endsSoon: string
  endsAnyway: string
  stay: string
  loading: string
  retry: string
  copy: string
  copied: string
  links: string
  keys: string
  requests: string
  branches: string
  sessions: string
  refunds: string
  webhooks: string
  find: string
  findHint: string
  notFound: string
  notFoundHint: string
  nowhere: (id: string) => string
  nowhereHint: string
  toPayments: string
  failed: string
  notCurrent: string
  copyFailed: string
  offline: string
  noConnection: string
  forbidden: string
  limited: (seconds: number) => string
  tooMany: string
  again: (seconds: number) => string
  asOf: string
  needs: string
  unavailable: string
  newVersion: string
  reload: string
  requestId: string
  cancel: string
  /** Of a change whose answer was lost. */
  unclear: string
}

const es: ShellTexts = {
  navigation: 'Secciones',
  home: 'Inicio',
  asTable: 'Como tabla',
  soFar: 'hasta ahora',
  payments: 'Pagos',
  account: 'Cuenta',
  logOut: 'Cerrar sesión',
  sandbox: 'Modo de prueba',
  tests: 'Pruebas',
  skip: 'Ir al contenido',
  newLink: 'Nuevo link',
  more: 'Más',
  help: 'Ayuda',
  apiCalls: 'Llamadas a la API',
  merchant: 'Comercio',
  allMerchants: 'Todos los comercios',
  testMark: '[prueba]',
  copiedId: id => `Se copió ${id}`,
  actingFor: name => `Actúas en nombre de ${name}`,
  leave: 'Salir',
  endsSoon: 'Tu sesión está por terminar.',
  endsAnyway:
    'Tu sesión termina en un minuto porque alcanzó su duración máxima. Después puedes entrar de nuevo aquí, y lo que escribiste se conserva.',
  stay: 'Seguir aquí',
  loading: 'Cargando',
  retry: 'Reintentar',
  copy: 'Copiar',
  copied: 'Copiado',
  links: 'Links de pago',
  keys: 'Claves de API',
  requests: 'Llamadas',
  branches: 'Sucursales',
  sessions: 'Sesiones',
  refunds: 'Reembolsos',
  webhooks: 'Webhooks',
  find: 'Buscar',
  findHint: 'Id, pedido, referencia o correo',
  notFound: 'No encontramos lo que buscas.',
  notFoundHint: 'Revisa la dirección, o búscalo aquí.',
  nowhere: id => `Ninguna pantalla muestra ${id}.`,
  nowhereHint: 'Revisa el id, o busca el pago al que pertenece.',
  toPayments: 'Ver los pagos',
  failed: 'No se pudo cargar.',
  notCurrent: 'No se pudo actualizar: puede haber cambios.',
  copyFailed: 'Cópialo a mano',
  offline: 'No hay conexión con Cobro.',
  noConnection: 'Este equipo no tiene conexión.',
  forbidden: 'Tu usuario no tiene acceso a esto.',
  limited: seconds => `Demasiadas consultas. Intenta de nuevo en ${seconds} s.`,
  tooMany: 'Demasiadas consultas.',
  again: seconds => `Se reintenta en ${seconds} s.`,
  asOf: 'Datos del',
  needs: 'Pide a quien administra tus usuarios el permiso de esta operación:',
  unavailable: 'El servicio no está disponible en este momento.',
  newVersion: 'Hay una versión nueva del panel.',
  reload: 'Actualizar',
  requestId: 'Id de la consulta',
  cancel: 'Cancelar',
  unclear: 'No se sabe si se hizo el cambio. Puedes intentarlo de nuevo: se hace una sola vez.',
}

const en: ShellTexts = {
  navigation: 'Sections',
  home: 'Home',
  asTable: 'As a table',
  soFar: 'so far',
  payments: 'Payments',
  account: 'Account',
  logOut: 'Log out',
  sandbox: 'Test mode',
  tests: 'Sandbox',
  skip: 'Skip to content',
  newLink: 'New link',
  more: 'More',
  help: 'Help',
  apiCalls: 'API calls',
  merchant: 'Merchant',
  allMerchants: 'All merchants',
  testMark: '[test]',
  copiedId: id => `Copied ${id}`,
  actingFor: name => `You are acting for ${name}`,
  leave: 'Leave',
  endsSoon: 'Your session is about to end.',
  endsAnyway:
    'Your session ends in a minute, because it has reached its longest time. You can then log in again here, and what you typed is kept.',
  stay: 'Stay here',
  loading: 'Loading',
  retry: 'Try again',
  copy: 'Copy',
  copied: 'Copied',
  links: 'Payment links',
  keys: 'API keys',
  requests: 'Requests',
  branches: 'Branches',
  sessions: 'Sessions',
  refunds: 'Refunds',
  webhooks: 'Webhooks',
  find: 'Find',
  findHint: 'Id, order, reference or e-mail',
  notFound: 'We could not find what you are looking for.',
  notFoundHint: 'Check the address, or look for it here.',
  nowhere: id => `No screen shows ${id}.`,
  nowhereHint: 'Check the id, or look for the payment that it belongs to.',
  toPayments: 'See the payments',
  failed: 'It could not be loaded.',
  notCurrent: 'It could not be updated: there may be changes.',
  copyFailed: 'Copy it by hand',
  offline: 'Cobro cannot be reached.',
  noConnection: 'This device is offline.',
  forbidden: 'Your user has no access to this.',
  limited: seconds => `Too many requests. Try again in ${seconds} s.`,
  tooMany: 'Too many requests.',
  again: seconds => `It is tried again in ${seconds} s.`,
  asOf: 'As of',
  needs: 'Ask who manages your users for the permission of this operation:',
  unavailable: 'The service is not available right now.',
  newVersion: 'There is a new version of the dashboard.',
  reload: 'Update',
  requestId: 'Request id',
  cancel: 'Cancel',
  unclear: 'It is not known whether the change was made. You can try again: it is made only once.',
}

export const shellTexts: Texts<ShellTexts> = { es, en }
