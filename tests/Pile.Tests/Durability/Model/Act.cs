namespace Pile.Tests.Durability.Model;

/// <summary>An action that may come next.</summary>
/// <param name="Steps">Who would do it.</param>
/// <param name="What">What: a number that only they understand.</param>
/// <param name="Who">Which writer, if it is one's.</param>
/// <param name="Which">Which slot or segment.</param>
/// <param name="Other">Which other slot, of a batch.</param>
internal readonly record struct Act(Steps Steps, int What, int Who = 0, int Which = 0, int Other = 0);
