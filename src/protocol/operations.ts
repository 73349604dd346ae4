/** How a field of a request body is written: int64 goes out as a decimal string. A trailing `?` marks an optional field. */
export type FieldKind = 'string' | 'int64' | 'int64?' | 'strings?'

/** `[method, path, body]`; a `body` of `undefined` means that none is sent. `{key}` in a path stands for one encoded name. */
export type Operation = readonly [
  method: 'GET' | 'POST' | 'PUT' | 'PATCH',
  path: string,
  body?: Readonly<Record<string, FieldKind>>,
]

/**
 * Every operation of the sidecar's REST interface: the only place where a method or a path is written.
 * The client sends by it, the local sidecar routes by it, the gateway forwards by it.
 */
export const operations = {
  ready: ['POST', '/ready', {}],
  health: ['POST', '/health', {}],
  allocate: ['POST', '/allocate', {}],
  shutdown: ['POST', '/shutdown', {}],
  reserve: ['POST', '/reserve', { seconds: 'int64' }],
  getGameServer: ['GET', '/gameserver'],
  watchGameServer: ['GET', '/watch/gameserver'],
  setLabel: ['PUT', '/metadata/label', { key: 'string', value: 'string' }],
  setAnnotation: ['PUT', '/metadata/annotation', { key: 'string', value: 'string' }],
  getCounter: ['GET', '/v1beta1/counters/{key}'],
  updateCounter: [
    'PATCH',
    '/v1beta1/counters/{key}',
    { count: 'int64?', capacity: 'int64?', countDiff: 'int64?' },
  ],
  getList: ['GET', '/v1beta1/lists/{key}'],
  updateList: ['PATCH', '/v1beta1/lists/{key}', { capacity: 'int64?', values: 'strings?' }],
  addListValue: ['POST', '/v1beta1/lists/{key}:addValue', { value: 'string' }],
  removeListValue: ['POST', '/v1beta1/lists/{key}:removeValue', { value: 'string' }],
} as const satisfies Record<string, Operation>

export type OperationName = keyof typeof operations
