// What the office and the fronts of the shop tell each other about a product.
// In the shared cache it stands as JSON.
namespace Shop;

/// <summary>A product.</summary>
/// <param name="Id">Its number.</param>
/// <param name="Name">Its name.</param>
/// <param name="Price">What it costs.</param>
internal sealed record Product(int Id, string Name, decimal Price);
