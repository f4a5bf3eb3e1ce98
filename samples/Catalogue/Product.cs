// What the catalogue holds.
// An ordinary record: Pile stores it without attributes.
namespace Catalogue;

/// <summary>A product.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Price">Its price.</param>
/// <param name="Tags">What it is found by.</param>
internal sealed record Product(string Name, decimal Price, string[] Tags);
