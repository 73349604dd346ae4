import { keep, readKept } from '../common/storage.js'

const meta = (name: string): string => document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content ?? ''

/** The package's version, of which this page is a part. */
export const pageVersion = meta('version')

/**
 * Whether the sidecar serves another page than this one by now, as after an update. Only a reload gets it, which is
 * worth one attempt.
 */
export async function isOutdated(): Promise<boolean> {
  const response = await fetch('/_/', { method: 'HEAD', cache: 'no-store' })
  const served = response.headers.get('etag')
  if (!response.ok || served === null || served === `W/"${meta('page-id')}"`) return false
  if (readKept('session', 'reloaded-for') === served) return false
  keep('session', 'reloaded-for', served)
  return true
}
