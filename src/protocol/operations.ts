/** What a field of a body may hold; a trailing `?` marks one that may be left out. int64 goes out as decimal text. */
export type FieldKind = 'key' | 'label' | 'annotation' | 'text' | 'seconds' | 'int64?' | 'texts?'

/** `[method, path, body]`; without a `body` none is sent. `{key}` in a path stands for one encoded name. */
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
  reserve: ['POST', '/reserve', { seconds: 'seconds' }],
  getGameServer: ['GET', '/gameserver'],
  watchGameServer: ['GET', '/watch/gameserver'],
  setLabel: ['PUT', '/metadata/label', { key: 'key', value: 'label' }],
  setAnnotation: ['PUT', '/metadata/annotation', { key: 'key', value: 'annotation' }],
  getCounter: ['GET', '/v1beta1/counters/{key}'],
  updateCounter: ['PATCH', '/v1beta1/counters/{key}', { count: 'int64?', capacity: 'int64?', countDiff: 'int64?' }],
  getList: ['GET', '/v1beta1/lists/{key}'],
  updateList: ['PATCH', '/v1beta1/lists/{key}', { capacity: 'int64?', values: 'texts?' }],
  addListValue: ['POST', '/v1beta1/lists/{key}:addValue', { value: 'text' }],
  removeListValue: ['POST', '/v1beta1/lists/{key}:removeValue', { value: 'text' }],
} as const satisfies Record<string, Operation>

export type OperationName = keyof typeof operations
