/**
 * The release of the tz database by which this process computes: that of its Node, or of `ICU_TIMEZONE_FILES_DIR`; the
 * machine's own does not matter.
 */
export const ZONE_DATA: string = process.versions['tz'] ?? 'unknown'
