/** A binary of the real sidecar. */
export interface Binary {
  readonly release: string
  readonly path: string
}

/**
 * The binaries that SDK_SERVERS names, oldest first (`1.54=path,1.60=path`), or the one that SDK_SERVER names. The client
 * works with each. The local sidecar and the mock imitate the last one, so only that is compared with them.
 */
export const binaries: readonly Binary[] = (
  process.env['SDK_SERVERS'] || (process.env['SDK_SERVER'] ? `newest=${process.env['SDK_SERVER']}` : '')
)
  .split(',')
  .filter(Boolean)
  .map((entry) => {
    const [release = '', path = ''] = entry.split('=')
    return { release, path }
  })
