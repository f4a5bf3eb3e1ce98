// What a search answers with.
// The number stands beside the product: in the table it is the key.
namespace Catalogue;

/// <summary>A product that was found.</summary>
/// <param name="Id">Its number.</param>
/// <param name="Product">It.</param>
internal sealed record Found(int Id, Product Product);
