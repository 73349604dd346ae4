import { keep, readKept } from '../common/storage.js'

/**
 * Takes the token of a sidecar beyond loopback out of the page's address, where it would be seen and copied, and keeps it
 * for as long as the tab lives.
 */
export function takeToken(): string | undefined {
  const hash = new URLSearchParams(location.hash.slice(1))
  const token = hash.get('token')
  if (token === null) return readKept('session', 'token')
  hash.delete('token')
  const rest = hash.toString()
  history.replaceState(null, '', `${location.pathname}${location.search}${rest === '' ? '' : `#${rest}`}`)
  keep('session', 'token', token)
  return token
}
