/** Managed identities for a new sandbox. */
import type { Random } from '../random.cts';
import type { User } from '../areas/identity.cts';

const number = 40;

/** So many random bytes. */
const bytes = (random: Random, length: number): Buffer =>
	Buffer.from(Array.from({ length }, () => random.int(0, 255)));

/**
 * user-1 has a one-time password, user-2 a passkey, user-3 both, user-4 is locked and user-5 has
 * neither; the others are mixed.
 */
export function seedUsers(random: Random): User[] {
	return Array.from({ length: number }, (_, index) => {
		const serial = index + 1;
		const isMixed = serial > 5;
		const hasOtp = isMixed ? random.chance(0.5) : [1, 3, 4].includes(serial);
		const hasPasskey = isMixed ? random.chance(0.3) : [2, 3].includes(serial);
		const isLocked = serial === 4;
		return {
			id: `idp-${serial}`,
			external_id: `user-${serial}`,
			status: 'active',
			otp: hasOtp ? { secret: bytes(random, 20).toString('hex'), isConfirmed: true } : null,
			backupCodes: [],
			passkeys: hasPasskey ? [{ id: bytes(random, 16).toString('base64url') }] : [],
			failed_attempts: isLocked ? 5 : 0,
			is_locked: isLocked,
		};
	});
}
