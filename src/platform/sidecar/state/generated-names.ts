/** The characters of names that Kubernetes generates: without vowels, so that no words arise. */
const letters = 'bcdfghjklmnpqrstvwxz2456789'
const suffixLength = 5
/** The longest name of an object. */
const longestName = 63

/** A name as Kubernetes generates it: the base, cut if it is too long, and five letters that derive from the seed. */
export function generatedName(base: string, seed: string): string {
  const suffix = Array.from({ length: suffixLength }, (_, i) => letters[hash(`${seed} ${i}`) % letters.length])
  return `${base.slice(0, longestName - suffixLength - 1)}-${suffix.join('')}`
}

/** A uid that derives from the seed. */
export function uidOf(seed: string): string {
  const digits = [0, 1, 2, 3].map((part) => hash(`uid ${part} ${seed}`).toString(16).padStart(8, '0')).join('')
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5')
}

/** FNV-1a in 32 bits, with a final step that spreads the last character over all bits. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d)
  return (value ^ (value >>> 13)) >>> 0
}
