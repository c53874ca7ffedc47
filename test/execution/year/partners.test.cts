// The example that pays partners, over a year.
import { overAYear } from './overAYear.cts';
import { addFees, paysPartners } from './payingPartners.cts';

overAYear([
	{
		file: '07-pay-partners.json',
		occasion: (world, month) => {
			addFees(world, month);
			return { 'Execute workflow': [{}] };
		},
		isDelivered: true,
		...paysPartners,
	},
]);
