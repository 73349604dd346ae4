/** The kind of a body's field. An int64 is sent as decimal text. Only an update may omit fields. */
export type FieldKind = 'key' | 'label' | 'text' | 'texts' | 'int64'

/** An operation without `body` sends no body. `{key}` in a path stands for one encoded name. */
export type Operation = readonly [
  method: 'GET' | 'POST' | 'PUT' | 'PATCH',
  path: string,
  body?: Readonly<Record<string, FieldKind>>,
]

/**
 * Every operation of the sidecar's REST interface. No other place names a method or a path: the client sends by this
 * table, the local sidecar routes by it, and the gateway forwards by it.
 */
export const operations = {
  ready: ['POST', '/ready', {}],
  health: ['POST', '/health', {}],
  allocate: ['POST', '/allocate', {}],
  shutdown: ['POST', '/shutdown', {}],
  reserve: ['POST', '/reserve', { seconds: 'int64' }],
  getGameServer: ['GET', '/gameserver'],
  watchGameServer: ['GET', '/watch/gameserver'],
  setLabel: ['PUT', '/metadata/label', { key: 'key', value: 'label' }],
  setAnnotation: ['PUT', '/metadata/annotation', { key: 'key', value: 'text' }],
  getCounter: ['GET', '/v1beta1/counters/{key}'],
  updateCounter: ['PATCH', '/v1beta1/counters/{key}', { count: 'int64', capacity: 'int64', countDiff: 'int64' }],
  getList: ['GET', '/v1beta1/lists/{key}'],
  updateList: ['PATCH', '/v1beta1/lists/{key}', { capacity: 'int64', values: 'texts' }],
  addListValue: ['POST', '/v1beta1/lists/{key}:addValue', { value: 'text' }],
  removeListValue: ['POST', '/v1beta1/lists/{key}:removeValue', { value: 'text' }],
} as const satisfies Record<string, Operation>

/**
 * The path of an operation where counters and lists are stable, as all other paths are. Agones 1.41 had `/v1beta1` in
 * place of `/v1alpha1`, not beside it, so a release that makes them stable may drop `/v1beta1`.
 */
export const stablePath = (path: string): string => path.replace('/v1beta1', '')

export type OperationName = keyof typeof operations
