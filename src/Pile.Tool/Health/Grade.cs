// How good a thing of the machine is for piles and caches.
// Only Bad makes `pile doctor` end with an exit code of its own.
namespace Pile.Tool.Health;

/// <summary>A grade.</summary>
internal enum Grade
{
    /// <summary>As it should be.</summary>
    Good,

    /// <summary>It works; the advice says what would be better.</summary>
    Advice,

    /// <summary>Piles fail here, or don't keep their promise: it must be changed.</summary>
    Bad,
}
