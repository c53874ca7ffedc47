/** The assessment of a session's risk. Reference: 'Identity and risk'. */
import { Answer, type Area, type Call } from '../area.cts';
import { findUser } from './identity.cts';

interface RiskBody {
	sentinel?: { id?: string; context?: { ip?: string; ua?: string; user_id?: string } };
	/** The legacy envelope. */
	event?: { user_id?: string; ip?: string; user_agent?: string; sentinel_session?: string };
}

/** What is asked for, in both envelopes alike. */
function inputsOf(call: Call) {
	const { sentinel, event } = (call.body ?? {}) as RiskBody;
	if (event) {
		const { sentinel_session: session, ip, user_agent: agent, user_id: user } = event;
		return { session, ip, agent, user };
	}
	const { ip, ua: agent, user_id: user } = sentinel?.context ?? {};
	return { session: sentinel?.id, ip, agent, user };
}

/** The documented answer when inputs are missing; it has a body of its own kind. */
function refused(call: Call): Answer {
	const message = 'Session, ip and user agent are needed';
	return new Answer(Number(call.world.riskStatus), { success: false, message });
}

/** Each reason with the points that it adds to the score of 100. */
function findingsOf(ip: string, agent: string, failedAttempts: number): [string, number][] {
	const findings: [string, number, boolean][] = [
		['ip_reputation', 75, ip.startsWith('203.0.113.')],
		['automated_user_agent', 20, /bot|curl/i.test(agent)],
		['failed_attempts', 20, failedAttempts > 0],
	];
	return findings.filter(([, , applies]) => applies).map(([name, points]) => [name, points]);
}

export const risk: Area<object> = {
	seed: () => ({}),

	endpoints: {
		'POST /sentinel/verify.json': {
			invalid: refused,
			handle: (call) => {
				const { session, ip, agent, user: override } = inputsOf(call);
				if (!session || !ip || !agent) return refused(call);
				const user_id = override || session;
				const user = findUser(call, user_id);
				const findings = findingsOf(ip, agent, user?.failed_attempts ?? 0);
				const points = findings.reduce((sum, [, added]) => sum + added, 5);
				const risk_score = Math.min(points, 100);
				const isHigh = risk_score >= 70;
				const decision = isHigh ? 'challenge_mfa' : 'allow';
				const factor = user?.passkeys.length ? 'passkey' : 'otp';
				return {
					success: true,
					event_id: call.newId('rsk'),
					user_id,
					ip,
					geo_country: ip.startsWith('203.0.113.') ? 'ZZ' : 'IT',
					risk_score,
					risk_band: isHigh ? 'high' : 'low',
					decision_advice: decision,
					decision,
					recommended_factor: isHigh ? factor : 'none',
					reasons: findings.map(([name]) => name),
					verification_cost_ms: 1,
				};
			},
		},
	},
};
